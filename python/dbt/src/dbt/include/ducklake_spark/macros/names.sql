{# Names of catalogs, schemas and temporary views. #}

{% macro ducklake_spark__generate_database_name(custom_database_name=none, node=none) -%}
  {{ return(default__generate_database_name(custom_database_name, node)) }}
{%- endmacro %}


{% macro ducklake_spark__list_schemas(database) -%}
  {% call statement('list_schemas', fetch_result=True, auto_begin=False) %}
    show schemas in {{ database }}
  {% endcall %}
  {{ return(load_result('list_schemas').table) }}
{%- endmacro %}


{# All threads share a session, and models of two schemas or lakes may have one name. #}
{% macro ducklake_spark__make_temp_relation(base_relation, suffix) -%}
  {%- set name = base_relation.identifier ~ '__' ~ local_md5(base_relation.render()) ~ suffix -%}
  {%- set view = base_relation.incorporate(path={'identifier': name}, type='view') -%}
  {{ return(view.include(database=false, schema=false).quote(identifier=true)) }}
{%- endmacro %}
