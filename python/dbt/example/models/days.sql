{{ config(materialized='incremental', incremental_strategy='insert_overwrite', partition_by=['year(day)', 'month(day)']) }}

select day, count(*) as orders, sum(amount) as amount from {{ ref('orders') }}
{% if is_incremental() %}
where day >= (select trunc(max(day), 'MM') from {{ this }})
{% endif %}
group by day
