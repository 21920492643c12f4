import type { ErrorBody, ImageErrorBody } from '@farebox/api'
import type { Response } from 'express'
import { type ErrorAnswer, errorAnswer, imageErrorAnswer } from './error-answer.ts'
import type { JsonBody } from './read-json-body.ts'

/** A body that holds no JSON to work with. */
export type UnreadableBody = Exclude<JsonBody, { readonly status: 'json' }>

/** Sends an error, once: an answer that has begun is left alone. */
export function answer(response: Response, error: ErrorAnswer): void {
  if (response.headersSent) return
  response.status(error.status).set('Cache-Control', 'no-store').set(error.headers).json(error.body)
}

/** What is wrong with a body that could not be read. */
export function unreadableAnswer(body: UnreadableBody): ErrorAnswer<ErrorBody> {
  switch (body.status) {
    case 'absent':
      return errorAnswer(400, { code: 'invalid_json', message: absent })
    case 'invalid':
      return errorAnswer(400, body)
    case 'overloaded':
      return errorAnswer(503, { code: 'overloaded', message: full }, retrySoon)
  }
}

/** The same in the shape of the image endpoints; `fault` names what an overload is there. */
export function unreadableImageAnswer(
  body: UnreadableBody,
  fault: 'ESTIMATE_ERROR' | 'GENERATION_ERROR',
): ErrorAnswer<ImageErrorBody> {
  switch (body.status) {
    case 'absent':
      return imageErrorAnswer(400, 'INVALID_REQUEST', { message: absent })
    case 'invalid':
      return imageErrorAnswer(400, 'INVALID_REQUEST', { message: body.message })
    case 'overloaded':
      return { ...imageErrorAnswer(503, fault, { message: full }), headers: retrySoon }
  }
}

const absent = 'The request has no body. Send a JSON object.'
const full = 'The service holds as many requests as it can. No money moved. Repeat the request.'
const retrySoon = { 'Retry-After': '2' }
