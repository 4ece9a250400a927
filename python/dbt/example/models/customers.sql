{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id', file_format='ducklake') }}

select id, name, country from {{ source('raw', 'customers') }}
