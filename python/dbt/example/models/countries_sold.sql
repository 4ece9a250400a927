{{ config(materialized='view') }}

select c.country, count(*) as orders, sum(o.amount) as amount
from {{ ref('orders') }} as o join {{ source('raw', 'customers') }} as c on c.id = o.customer
group by c.country
