{# Hooks of one kind, in their order. Without the COMMIT that dbt runs before those outside of a
   transaction: each statement of Spark is its own. #}
{% macro run_hooks(hooks, inside_transaction=True) %}
  {% for hook in hooks | selectattr('transaction', 'equalto', inside_transaction) %}
    {% set rendered = render(hook.get('sql')) | trim %}
    {% if rendered %}
      {% call statement(auto_begin=inside_transaction) %}
        {{ rendered }}
      {% endcall %}
    {% endif %}
  {% endfor %}
{% endmacro %}


{# Hooks before a model: first those that dbt runs before a transaction. #}
{% macro lake_hooks_before() %}
  {% do run_hooks(pre_hooks, inside_transaction=False) %}
  {% do run_hooks(pre_hooks, inside_transaction=True) %}
{% endmacro %}


{# Hooks after a model: last those that dbt runs after a transaction. #}
{% macro lake_hooks_after() %}
  {% do run_hooks(post_hooks, inside_transaction=True) %}
  {% do run_hooks(post_hooks, inside_transaction=False) %}
{% endmacro %}
