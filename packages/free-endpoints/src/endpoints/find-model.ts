import type { ChatModelBody } from '@farebox/api'
import { errorResponse, sendError } from '@farebox/http'
import { findSoldModels, type Storefront } from '@farebox/storefront'
import type { RequestHandler } from 'express'
import { openAiEntry, pricedEntry } from './list-models.ts'

/** `GET /v1/models/{id}`, with a plain or encoded slash, or with a short name as in requests. */
export function findModel(storefront: Storefront): RequestHandler<{ id: string | string[] }> {
  return function handleFindModel(request, response) {
    const { id: parts } = request.params
    const id = typeof parts === 'string' ? parts : parts.join('/')
    const [model, ...others] = findSoldModels(id, storefront)
    if (model === undefined || others.length > 0) {
      const message = `The model ${JSON.stringify(id)} is not sold here. GET /v1/models lists the models that are.`
      return sendError(response, errorResponse(404, { code: 'not_found', message }))
    }
    response.json({
      ...pricedEntry(model, storefront.terms),
      ...openAiEntry(model, storefront.catalog()),
    } satisfies ChatModelBody)
  }
}
