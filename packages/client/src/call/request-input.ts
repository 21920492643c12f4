import type { ChatRequestInput, ImageEstimateRequest, ImageRequest } from '@farebox/api'

/** A request as a caller writes it: fields that may be `undefined` may be omitted. */
type Writable<Value> = Value extends readonly (infer Item)[]
  ? readonly Writable<Item>[]
  : Value extends object
    ? RequiredFields<Value> & OptionalFields<Value>
    : Value

type RequiredFields<Value> = {
  readonly [Key in keyof Value as undefined extends Value[Key] ? never : Key]: Writable<Value[Key]>
}

type OptionalFields<Value> = {
  readonly [Key in keyof Value as undefined extends Value[Key] ? Key : never]?: Writable<Value[Key]>
}

/** A chat request without `stream`: `chat` and `chatStream` set it. */
export type ChatInput = Writable<Omit<ChatRequestInput, 'stream'>>

export type ImageInput = Writable<ImageRequest>

export type ImageEstimateInput = Writable<ImageEstimateRequest>
