{# dbt's own has the hooks of a transaction alone. #}
{% materialization view, adapter='ducklake_spark' %}
  {% do run_hooks(pre_hooks, inside_transaction=False) %}
  {%- set made = create_or_replace_view() -%}
  {% do run_hooks(post_hooks, inside_transaction=False) %}
  {{ return(made) }}
{% endmaterialization %}
