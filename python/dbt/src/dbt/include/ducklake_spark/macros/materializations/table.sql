{% materialization table, adapter='ducklake_spark', supported_languages=['sql'] %}
  {%- set target = this.incorporate(type='table') -%}

  {% do lake_hooks_before() %}
  {% do lake_replace_table(load_cached_relation(this), target) %}
  {% do persist_docs(target, model) %}
  {% do lake_hooks_after() %}

  {{ return({'relations': [target]}) }}
{% endmaterialization %}
