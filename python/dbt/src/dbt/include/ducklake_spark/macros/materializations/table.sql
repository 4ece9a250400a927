{% materialization table, adapter='ducklake_spark', supported_languages=['sql'] %}
  {%- set target = this.incorporate(type='table') -%}

  {{ run_hooks(pre_hooks) }}
  {% do lake_replace_table(load_cached_relation(this), target) %}
  {% do persist_docs(target, model) %}
  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target]}) }}
{% endmaterialization %}
