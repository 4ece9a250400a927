{% materialization incremental, adapter='ducklake_spark', supported_languages=['sql'] %}
  {%- set existing = load_cached_relation(this) -%}
  {%- set target = this.incorporate(type='table') -%}

  {% do lake_hooks_before() %}
  {% if existing is none or existing.is_view or should_full_refresh() %}
    {% do lake_replace_table(existing, target) %}
  {% else %}
    {% do lake_change_table(existing, target) %}
  {% endif %}
  {% do persist_docs(target, model) %}
  {% do lake_hooks_after() %}

  {{ return({'relations': [target]}) }}
{% endmaterialization %}


{# The rows of the model into the table that there is, as the strategy says. #}
{% macro lake_change_table(existing, target) %}
  {%- set on_change = incremental_validate_on_schema_change(config.get('on_schema_change'), default='ignore') -%}
  {%- set strategy = config.get('incremental_strategy') or 'append' -%}
  {%- set source = make_temp_relation(target) -%}

  {% if strategy == 'insert_overwrite' %}
    {%- set keys = adapter.check_keys(existing, config.get('partition_by')) -%}
  {% endif %}
  {% do run_query(create_table_as(True, source, compiled_code)) %}
  {%- set changed = process_schema_changes(on_change, source, existing) -%}
  {%- set columns = adapter.get_columns_in_relation(target) -%}
  {% call statement('main') %}
    {% if strategy == 'merge' %}
      {{ get_merge_sql(
          target, source, config.get('unique_key'), changed or columns,
          config.get('predicates') or config.get('incremental_predicates')) }}
    {% else %}
      {{ lake_insert_into(target, strategy, keys) }}
      {{ lake_rows(source, columns, changed or columns) }}
    {% endif %}
  {% endcall %}
  {% do adapter.drop_relation(source) %}
{% endmacro %}


{# What the rows are added to, or replace: without PARTITION, which takes no keys like year(day).
   A table without keys is one partition, which a query without rows empties; a dynamic overwrite
   would keep it. #}
{% macro lake_insert_into(target, strategy, keys) -%}
  {%- if strategy == 'insert_overwrite' and keys -%}
    insert overwrite {{ target }}
  {%- elif strategy == 'insert_overwrite' -%}
    insert into {{ target }} replace where true
  {%- elif strategy == 'microbatch' -%}
    insert into {{ target }} replace where {{ lake_time_of_batch() }}
  {%- else -%}
    insert into {{ target }}
  {%- endif -%}
{%- endmacro %}


{# The batch's time, as dbt selects it from the models before. #}
{% macro lake_time_of_batch() -%}
  {%- if not model.batch -%}
    {% do exceptions.raise_compiler_error("A microbatch model runs in batches; this run has none.") %}
  {%- endif -%}
  {%- set time = config.get('event_time') -%}
  {{ time }} >= '{{ model.batch.event_time_start }}' and {{ time }} < '{{ model.batch.event_time_end }}'
{%- endmacro %}


{# A value for each column of the table, in its order: NULL for those that the model has lost. #}
{% macro lake_rows(source, columns, given) -%}
  {%- set names = given | map(attribute='name') | map('lower') | list -%}
  select
  {%- for column in columns %}
    {{ 'null as ' if column.name | lower not in names }}{{ column.quoted }}{{ ',' if not loop.last }}
  {%- endfor %}
  from {{ source }}
{%- endmacro %}


{# dbt's own, which names the columns: dbt-spark's fails where the model has lost one. #}
{% macro ducklake_spark__get_merge_sql(target, source, unique_key, dest_columns, incremental_predicates) -%}
  {{ return(default__get_merge_sql(target, source, unique_key, dest_columns, incremental_predicates)) }}
{%- endmacro %}


{% macro ducklake_spark__get_merge_update_columns(merge_update_columns, merge_exclude_columns, dest_columns) -%}
  {{ return(default__get_merge_update_columns(merge_update_columns, merge_exclude_columns, dest_columns)) }}
{%- endmacro %}
