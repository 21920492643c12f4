import { isRecord } from '../http/is-record.ts'
import { isText } from '../http/is-text.ts'

/** Whether a value has a shape. Smaller than the API's own schemas, which check more. */
export type Shape = (value: unknown) => boolean

type Fields = Readonly<Record<string, Shape>>

export const text: Shape = isText
export const number: Shape = (value) => typeof value === 'number' && Number.isFinite(value)
export const whole: Shape = (value) => Number.isSafeInteger(value)
export const flag: Shape = (value) => typeof value === 'boolean'
export const digits: Shape = (value) => isText(value) && /^\d{1,78}$/.test(value)

export const oneOf =
  (...values: readonly string[]): Shape =>
  (value) =>
    isText(value) && values.includes(value)

export const optional =
  (shape: Shape): Shape =>
  (value) =>
    value === undefined || shape(value)

export const nullable =
  (shape: Shape): Shape =>
  (value) =>
    value === null || shape(value)

export const list =
  (item: Shape): Shape =>
  (value) =>
    Array.isArray(value) && value.every((each) => item(each))

/** An object with these fields; others are allowed. */
export const record =
  (fields: Fields): Shape =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([name, shape]) => shape(value[name]))

/** An object whose values all have one shape. */
export const recordOf =
  (shape: Shape): Shape =>
  (value) =>
    isObject(value) && Object.values(value).every((each) => shape(each))

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && !Array.isArray(value)
}
