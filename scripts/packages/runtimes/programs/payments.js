// What a seller of routes imports, where its sockets and native modules exist.
import { openPaywall } from '@farebox/payments'
import { paidHandler } from '@farebox/payments/fetch'
import { countTokens } from '@farebox/tokenizer/o200k_base'

const loaded = [typeof openPaywall, typeof paidHandler]
console.log([...loaded, countTokens('hello world')].join(' '))
