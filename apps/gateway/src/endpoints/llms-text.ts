import type { Storefront } from '@farebox/storefront'
import type { RequestHandler } from 'express'

/** `GET /llms.txt`: the service in plain text, for agents. */
export function llmsText(publicUrl: string, storefront: Storefront): RequestHandler {
  return function handleLlmsText(_, response) {
    const { chat, images } = storefront.catalog()
    response.type('text/plain; charset=utf-8').send(`# Farebox

> AI calls sold one at a time, without account or key. Ask, get the exact price in an HTTP 402, pay
> the maximum in USDC by x402 (versions 1 and 2, scheme exact), receive the response, and get the rest
> refunded on chain.

- Chat: POST ${publicUrl}/v1/chat/completions (OpenAI's request and response; stream: true streams)
- The same in other shapes: POST ${publicUrl}/v1/responses (OpenAI Responses), POST ${publicUrl}/v1/messages
  (Anthropic Messages), POST ${publicUrl}/v1/images/generations (OpenAI Images)
- Images: POST ${publicUrl}/v1/images/generate {"model", "prompt", "width", "height", "numberResults"}
- Prices before paying, free: POST ${publicUrl}/v1/estimate and ${publicUrl}/v1/images/estimate
- Models, free: GET ${publicUrl}/v1/models (${chat.filter(storefront.isSold).length}) and ${publicUrl}/v1/images/models (${images.filter(storefront.isSold).length})
- The state of a payment, free: GET ${publicUrl}/v1/payments/{id}, with the id of the X-Payment-Id header
- Interface: ${publicUrl}/openapi.json, readable at ${publicUrl}/docs

Models are addressed as <provider>/<model>. Default models: ${storefront.defaultChatModel},
${storefront.defaultImageModel}. 400 and 429 mean that no money moved; 402 that the authorisation was not
and will not be used; 503 with X-Payment-Id that the identical request resumes the payment.
`)
  }
}
