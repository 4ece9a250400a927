{{ config(materialized='table', contract={'enforced': true}) }}

select id, amount from {{ ref('orders') }} where amount > 100
