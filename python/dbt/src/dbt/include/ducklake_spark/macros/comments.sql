{# Descriptions as comments of tables, views and columns (persist_docs). #}

{% macro ducklake_spark__comment_clause() -%}
  {%- if config.persist_relation_docs() and model.description -%}
    comment {{ adapter.literal(model.description) }}
  {%- endif -%}
{%- endmacro %}


{# The columns of CREATE VIEW. #}
{% macro get_column_comment_sql(column_name, column_dict) -%}
  {%- set description = column_dict[column_name].description if column_name in column_dict -%}
  {{ adapter.quote(column_name) }}{% if description %} comment {{ adapter.literal(description) }}{% endif %}
{%- endmacro %}


{% macro ducklake_spark__persist_docs(relation, model, for_relation, for_columns) -%}
  {{ return(default__persist_docs(relation, model, for_relation, for_columns)) }}
{%- endmacro %}


{% macro ducklake_spark__alter_relation_comment(relation, relation_comment) -%}
  comment on table {{ relation }} is {{ adapter.literal(relation_comment) }}
{%- endmacro %}


{# One statement, and so one snapshot; none when all comments are there already. #}
{% macro ducklake_spark__alter_column_comment(relation, column_dict) -%}
  {%- for name, column in column_dict.items() if column.description -%}
    {{ 'alter table ' ~ relation ~ ' alter column' if loop.first }}
    {{ adapter.quote(name) }} comment {{ adapter.literal(column.description) }}{{ ',' if not loop.last }}
  {%- endfor -%}
{%- endmacro %}
