{{ config(materialized='incremental', on_schema_change='append_new_columns') }}

select id, amount from {{ ref('orders') }}
{% if is_incremental() %}
where id > (select max(id) from {{ this }})
{% endif %}
