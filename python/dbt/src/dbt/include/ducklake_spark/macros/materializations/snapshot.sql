{# dbt's own: dbt-spark's wants one of three formats. #}
{% materialization snapshot, adapter='ducklake_spark' %}
  {{ return(materialization_snapshot_default()) }}
{% endmaterialization %}


{# dbt's own, which makes views: a lake has no shallow clones. #}
{% materialization clone, adapter='ducklake_spark' %}
  {% do adapter.check_views() %}
  {{ return(materialization_clone_default()) }}
{% endmaterialization %}


{% macro ducklake_spark__can_clone_table() %}
  {{ return(False) }}
{% endmacro %}
