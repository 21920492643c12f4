import type { Response } from 'express'
import { type ErrorDetails, errorBody } from '../request/error-body.ts'

export function sendError(response: Response, error: ErrorDetails): void {
  response.status(error.status).json(errorBody(error))
}
