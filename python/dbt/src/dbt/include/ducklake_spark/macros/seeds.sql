{# Rows of CSV files. They are literals, because bindings of dbt-spark change them: NULL becomes
   'None', and large integers are rounded. A cast gives NULL for what does not fit, because dbt-spark
   turns ANSI off, so each value is compared. #}

{% macro ducklake_spark__create_csv_table(model, agate_table) %}
  {%- set quoting = config.get('quote_columns') -%}
  {%- set types = lake_seed_types(model, agate_table) -%}
  {% set sql %}
    create or replace table {{ this }} (
    {%- for name in agate_table.column_names -%}
      {{ adapter.quote_seed_column(name | string, quoting) }} {{ types[loop.index0] }}{{ ', ' if not loop.last }}
    {%- endfor -%}
    )
    {{ lake_table_clauses() }}
  {% endset %}
  {% call statement('create_csv_table') %}{{ sql }}{% endcall %}
  {{ return(sql) }}
{% endmacro %}


{% macro ducklake_spark__reset_csv_table(model, full_refresh, old_relation, agate_table) %}
  {{ return(create_csv_table(model, agate_table)) }}
{% endmacro %}


{% macro ducklake_spark__load_csv_rows(model, agate_table) %}
  {%- set types = lake_seed_types(model, agate_table) -%}
  {%- set statements = [] -%}
  {% for chunk in agate_table.rows | batch(get_batch_size()) %}
    {% set sql %}
      insert into {{ this }}
      select
      {%- for name in agate_table.column_names %}
        {{ lake_seed_value('c' ~ loop.index, name, types[loop.index0]) }}{{ ',' if not loop.last }}
      {%- endfor %}
      from values
      {%- for row in chunk %}
        ({% for value in row %}{{ adapter.literal(value) }}{{ ', ' if not loop.last }}{% endfor %}){{ ',' if not loop.last }}
      {%- endfor %}
      as seed ({% for name in agate_table.column_names %}c{{ loop.index }}{{ ', ' if not loop.last }}{% endfor %})
    {% endset %}
    {% do adapter.add_query(sql, abridge_sql_log=True) %}
    {% do statements.append(sql) %}
  {% endfor %}
  {{ return(statements[0]) }}
{% endmacro %}


{# A text as a value of a type, or an error. A cast to an integer cuts off decimals. #}
{% macro lake_seed_value(text, name, type) -%}
  {%- set value = 'cast(' ~ text ~ ' as ' ~ type ~ ')' -%}
  case when {{ text }} is not null and {{ value }} is null
    {%- if type | lower | trim in ('tinyint', 'byte', 'smallint', 'short', 'int', 'integer', 'bigint', 'long') %}
    or {{ value }} <> cast({{ text }} as decimal(38, 18))
    {%- endif %}
    then raise_error(concat('`', {{ text }}, {{ adapter.literal('` of column `' ~ name ~ '` does not fit ' ~ type) }}))
    else {{ value }} end
{%- endmacro %}


{% macro lake_seed_types(model, agate_table) %}
  {%- set chosen = model['config'].get('column_types', {}) -%}
  {%- set types = [] -%}
  {%- for name in agate_table.column_names -%}
    {%- do types.append(chosen.get(name, adapter.convert_type(agate_table, loop.index0))) -%}
  {%- endfor -%}
  {{ return(types) }}
{% endmacro %}
