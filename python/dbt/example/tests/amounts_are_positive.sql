{{ config(store_failures=true) }}

select id, amount from {{ ref('orders') }} where amount <= 0
