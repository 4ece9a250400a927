"""What a user of PostgreSQL may do with the tables of a lake."""

from __future__ import annotations

from collections.abc import Iterator

from ducklake_spark_catalog.database import Database
from ducklake_spark_cli.finding import Finding, few

_LACKING = """
    SELECT quote_ident(CURRENT_USER) AS holder, pg_get_userbyid(t.relowner) AS owner,
      quote_ident(s.nspname) AS around, t.relname AS name, r.name AS privilege
    FROM pg_class AS t
    JOIN pg_namespace AS s ON s.oid = t.relnamespace
    CROSS JOIN (VALUES ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE')) AS r (name)
    WHERE s.nspname = ? AND t.relkind = 'r' AND left(t.relname, 9) = 'ducklake_'
      AND NOT has_table_privilege(t.oid, r.name) AND (r.name = 'SELECT') = ?
    ORDER BY t.relname <> 'ducklake_metadata', t.relname, r.name"""


def of_a_reader(connection: Database) -> Iterator[Finding]:
    """The tables of the lake that this user may not read, if there are any.

    Rights on all tables of today are none on those that the writer makes later.
    """
    rows = connection.rows(_LACKING, connection.namespace, True)
    if rows:
        holder, owner, schema = (rows[0][key] for key in ("holder", "owner", "around"))
        names = few([row["name"] for row in rows])
        mend = (
            f"As {owner}: GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {holder}; and ALTER "
            "DEFAULT PRIVILEGES for tables that come later: see Users in jvm/docs/postgresql.md."
        )
        yield Finding("rights", "wrong", f"{holder} may not read {names}", mend)


def of_a_writer(connection: Database, *, is_read_only: bool) -> Finding:
    """Whether this user has the rights of a writer, which settings for reading alone do not need.

    A commit locks `ducklake_schema`, which takes the right to UPDATE it, and makes tables for
    rows that stay in the catalog. Source: decision 08, jvm/docs/postgresql.md.
    """
    (user,) = connection.rows(
        """SELECT CURRENT_USER AS name, pg_get_userbyid(t.relowner) AS owner,
             has_table_privilege(t.oid, 'INSERT') AS may_commit,
             has_schema_privilege(s.oid, 'CREATE') AS may_create
           FROM pg_class AS t JOIN pg_namespace AS s ON s.oid = t.relnamespace
           WHERE s.nspname = ? AND t.relname = 'ducklake_snapshot'""",
        connection.namespace,
    )
    mend = (
        f"The user who writes owns the tables (here {user['owner']}) and may make new ones: see "
        "Users in jvm/docs/postgresql.md."
    )
    if not user["may_commit"]:
        if is_read_only:
            return Finding("rights", "ok", f"{user['name']} may only read, as the settings say")
        return Finding("rights", "warning", f"{user['name']} may only read", mend)
    lacking = [] if user["may_create"] else [f"CREATE in schema {connection.namespace}"]
    rows = connection.rows(_LACKING, connection.namespace, False)
    lacking += [f"{row['privilege']} on {row['name']}" for row in rows]
    if lacking:
        found = f"{user['name']} lacks {few(lacking)}: commits may be refused"
        return Finding("rights", "warning", found, mend)
    return Finding("rights", "ok", f"{user['name']} may commit")
