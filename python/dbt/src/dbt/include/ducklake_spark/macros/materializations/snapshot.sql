{# dbt's own: dbt-spark's wants one of three formats. #}
{% materialization snapshot, adapter='ducklake_spark' %}
  {{ return(materialization_snapshot_default()) }}
{% endmaterialization %}


{# dbt's own, which names the columns: dbt-spark's fails once the source has lost one. #}
{% macro ducklake_spark__snapshot_merge_sql(target, source, insert_cols) -%}
  {{ return(default__snapshot_merge_sql(target, source, insert_cols)) }}
{%- endmacro %}


{# dbt's own, which makes views: a lake has no shallow clones. #}
{% materialization clone, adapter='ducklake_spark' %}
  {% do adapter.check_views() %}
  {{ return(materialization_clone_default()) }}
{% endmaterialization %}


{% macro ducklake_spark__can_clone_table() %}
  {{ return(False) }}
{% endmacro %}
