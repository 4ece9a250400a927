{{ config(materialized='table', partition_by=['year(day)', 'month(day)'], sorted_by=['customer', 'id desc']) }}

select id, customer, day, amount from {{ source('raw', 'orders') }}
