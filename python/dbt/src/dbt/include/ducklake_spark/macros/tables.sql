{# CREATE TABLE and what follows it. #}

{% macro ducklake_spark__create_table_as(temporary, relation, compiled_code, language='sql') -%}
  {%- if temporary -%}
    {{ create_temporary_view(relation, compiled_code) }}
  {%- else -%}
    create or replace table {{ relation }}
    {%- if config.get('contract').enforced %}
      {{ get_assert_columns_equivalent(compiled_code) }}
      {%- set compiled_code = get_select_subquery(compiled_code) %}
    {%- endif %}
    {{ lake_table_clauses() }}
    as
    {{ compiled_code }}
  {%- endif -%}
{%- endmacro %}


{% macro lake_table_clauses() -%}
  {{ file_format_clause() }}
  {{ partition_cols(label='partitioned by') }}
  {{ comment_clause() }}
  {{ tblproperties_clause() }}
{%- endmacro %}


{% macro ducklake_spark__tblproperties_clause() -%}
  {%- set properties = dict(config.get('tblproperties') or {}) -%}
  {%- set keys = config.get('sorted_by') -%}
  {%- if keys -%}
    {%- do properties.update({'ducklake.sorted-by': keys if keys is string else keys | join(', ')}) -%}
  {%- endif -%}
  {%- if properties -%}
    tblproperties (
    {%- for name, value in properties.items() -%}
      {{ adapter.literal(name) }} = {{ adapter.literal(value) }}{{ ', ' if not loop.last }}
    {%- endfor -%}
    )
  {%- endif -%}
{%- endmacro %}


{# The table with new rows and a new shape, in one snapshot. #}
{% macro lake_replace_table(existing, target) %}
  {% if existing is not none and existing.is_view %}
    {% do adapter.drop_relation(existing) %}
  {% endif %}
  {% call statement('main') %}
    {{ create_table_as(False, target, compiled_code) }}
  {% endcall %}
  {% do persist_constraints(target, model) %}
{% endmacro %}


{# The columns of a contract, of which those that must not be NULL fail while they are read: before
   the table that there is gets replaced. #}
{% macro ducklake_spark__get_select_subquery(sql) %}
  {%- set required = lake_required_columns() -%}
  select
  {%- for column in model.columns.values() %}
    {%- set name = adapter.quote(column.name) if column.get('quote') else column.name %}
    {%- if column.name in required %}
    coalesce({{ name }}, raise_error({{ adapter.literal('Column `' ~ column.name ~ '` is NULL, and not_null in the contract') }})) as {{ name }}
    {%- else %}
    {{ name }}
    {%- endif %}
    {{- ',' if not loop.last }}
  {%- endfor %}
  from (
    {{ sql }}
  ) as model_subq
{%- endmacro %}


{# The columns that are NOT NULL by the contract: by their own constraints, or those of the model. #}
{% macro lake_required_columns() %}
  {%- set names = [] -%}
  {%- for column in model.columns.values() -%}
    {%- for constraint in column.constraints if constraint.type == 'not_null' -%}
      {%- do names.append(column.name) -%}
    {%- endfor -%}
  {%- endfor -%}
  {%- for constraint in model.constraints if constraint.type == 'not_null' -%}
    {%- do names.extend(constraint.columns) -%}
  {%- endfor -%}
  {{ return(names | unique | list) }}
{% endmacro %}


{# dbt itself warns of constraints that the adapter does not support. #}
{% macro ducklake_spark__persist_constraints(relation, model) %}
  {% if config.get('contract').enforced %}
    {% do adapter.render_raw_model_constraints(raw_constraints=model.constraints) %}
    {% do adapter.render_raw_columns_constraints(raw_columns=model.columns) %}
    {% for name in lake_required_columns() %}
      {% call statement('set_not_null') %}
        call {{ relation.database }}.system.set_not_null(
          table_name => {{ adapter.literal(relation.identifier) }},
          column => {{ adapter.literal(name) }},
          schema => {{ adapter.literal(relation.schema) }})
      {% endcall %}
    {% endfor %}
  {% endif %}
{% endmacro %}


{# Without EXTENDED, which Spark has for views of a lake from 4.2 on. #}
{% macro ducklake_spark__get_columns_in_relation_raw(relation) -%}
  {% call statement('get_columns_in_relation_raw', fetch_result=True) %}
    describe {{ relation }}
  {% endcall %}
  {{ return(load_result('get_columns_in_relation_raw').table) }}
{%- endmacro %}


{# dbt-spark's own gives rows of DESCRIBE, in which snapshots find no names. #}
{% macro ducklake_spark__get_columns_in_relation(relation) -%}
  {{ return(adapter.get_columns_in_relation(relation)) }}
{%- endmacro %}


{% macro ducklake_spark__alter_relation_add_remove_columns(relation, add_columns, remove_columns) %}
  {% if add_columns %}
    {% do run_query(lake_add_columns(relation, add_columns)) %}
  {% endif %}
  {% if remove_columns %}
    {% set names = remove_columns | map(attribute='quoted') | join(', ') %}
    {% do run_query('alter table ' ~ relation ~ ' drop columns (' ~ names ~ ')') %}
  {% endif %}
{% endmacro %}


{% macro lake_add_columns(relation, columns) -%}
  alter table {{ relation }} add columns (
  {%- for column in columns -%}
    {{ column.quoted }} {{ column.data_type }}{{ ', ' if not loop.last }}
  {%- endfor -%}
  )
{%- endmacro %}
