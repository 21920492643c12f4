import { isText } from '../http/is-text.ts'

/** Whether this is an address that can pay or be paid: 0x and 40 hexadecimal digits, not all zero. */
export function isAddress(value: unknown): value is `0x${string}` {
  return isText(value) && /^0x(?!0+$)[0-9a-f]{40}$/i.test(value)
}
