import type { ChatModelBody } from '@farebox/api'
import { errorResponse, sendError } from '@farebox/http'
import { findSoldModels, modelNameProblem, type Storefront } from '@farebox/storefront'
import type { RequestHandler } from 'express'
import { openAiEntry, pricedEntry } from './list-models.ts'

/** `GET /v1/models/{id}`, with a plain or encoded slash, or with a short name as in requests. */
export function findModel(storefront: Storefront): RequestHandler<{ id: string | string[] }> {
  return function handleFindModel(request, response) {
    const { id: parts } = request.params
    const id = typeof parts === 'string' ? parts : parts.join('/')
    const found = findSoldModels(id, storefront)
    const [model] = found
    if (model === undefined || found.length > 1) {
      const message = modelNameProblem(`The model ${JSON.stringify(id)}`, found, '/v1/models')
      return sendError(response, errorResponse(404, { code: 'not_found', message }))
    }
    response.json({
      ...pricedEntry(model, storefront.terms),
      ...openAiEntry(model, storefront.catalog()),
    } satisfies ChatModelBody)
  }
}
