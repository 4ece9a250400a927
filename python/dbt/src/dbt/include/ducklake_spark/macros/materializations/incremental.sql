{% materialization incremental, adapter='ducklake_spark', supported_languages=['sql'] %}
  {%- set existing = load_cached_relation(this) -%}
  {%- set target = this.incorporate(type='table') -%}

  {{ run_hooks(pre_hooks) }}
  {% if existing is none or existing.is_view or should_full_refresh() %}
    {% do lake_replace_table(existing, target) %}
  {% else %}
    {% do lake_change_table(existing, target) %}
  {% endif %}
  {% do persist_docs(target, model) %}
  {{ run_hooks(post_hooks) }}

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
  {% do process_schema_changes(on_change, source, existing) %}
  {% call statement('main') %}
    {% if strategy == 'microbatch' %}
      {{ lake_replace_batch(source, target) }}
    {% elif strategy == 'insert_overwrite' and not keys %}
      {{ lake_replace_all(source, target) }}
    {% else %}
      {{ dbt_spark_get_incremental_sql(
          strategy, source, target, existing, config.get('unique_key'),
          config.get('predicates') or config.get('incremental_predicates')) }}
    {% endif %}
  {% endcall %}
  {% do adapter.drop_relation(source) %}
{% endmacro %}


{# The rows of the batch's time, as dbt selects them from the models before. #}
{% macro lake_replace_batch(source, target) -%}
  {%- if not model.batch -%}
    {% do exceptions.raise_compiler_error("A microbatch model runs in batches; this run has none.") %}
  {%- endif -%}
  {%- set time = config.get('event_time') -%}
  {%- set columns = adapter.get_columns_in_relation(target) | map(attribute='quoted') | join(', ') -%}
  insert into {{ target }}
  replace where {{ time }} >= '{{ model.batch.event_time_start }}' and {{ time }} < '{{ model.batch.event_time_end }}'
  select {{ columns }} from {{ source }}
{%- endmacro %}


{# A table without keys is one partition, which a query without rows empties; a dynamic overwrite
   would keep it. #}
{% macro lake_replace_all(source, target) -%}
  {%- set columns = adapter.get_columns_in_relation(target) | map(attribute='quoted') | join(', ') -%}
  insert into {{ target }}
  replace where true
  select {{ columns }} from {{ source }}
{%- endmacro %}


{# Without PARTITION, which takes no keys like year(day): the session replaces what gets rows. #}
{% macro get_insert_overwrite_sql(source_relation, target_relation, existing_relation) -%}
  {%- set columns = adapter.get_columns_in_relation(target_relation) | map(attribute='quoted') | join(', ') -%}
  insert overwrite {{ target_relation }}
  select {{ columns }} from {{ source_relation }}
{%- endmacro %}
