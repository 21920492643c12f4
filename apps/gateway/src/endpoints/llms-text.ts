import type { Storefront } from '@farebox/storefront'
import type { RequestHandler } from 'express'

/** `GET /llms.txt`: the service in plain text, for agents. */
export function llmsText(publicUrl: string, storefront: Storefront): RequestHandler {
  return function handleLlmsText(_, response) {
    const { chat, images } = storefront.catalog()
    response.type('text/plain; charset=utf-8').send(`# Farebox

> AI calls sold one at a time, without an account or a key. Ask, get the maximum price in an HTTP 402, pay
> it in USDC over x402 (versions 1 and 2, scheme exact), receive the response, and get the rest
> refunded on chain.

- Chat: POST ${publicUrl}/v1/chat/completions (OpenAI's request and response; stream: true streams)
- The same in other shapes: POST ${publicUrl}/v1/responses (OpenAI Responses), POST ${publicUrl}/v1/messages
  (Anthropic Messages), POST ${publicUrl}/v1/images/generations (OpenAI Images)
- Images: POST ${publicUrl}/v1/images/generate {"model", "prompt", "width", "height", "numberResults"}
- Prices before paying, free: POST ${publicUrl}/v1/estimate and ${publicUrl}/v1/images/estimate
- Models, free: GET ${publicUrl}/v1/models (${chat.filter(storefront.isSold).length}) and ${publicUrl}/v1/images/models (${images.filter(storefront.isSold).length})
- The state of a payment, free: GET ${publicUrl}/v1/payments/{id}, with the id of the X-Payment-Id header
- Interface: ${publicUrl}/openapi.json, readable at ${publicUrl}/docs
- Paid paths for registries: ${publicUrl}/.well-known/x402

## Paying

1. POST the request without a payment. The 402 has the price in the header PAYMENT-REQUIRED (base64 JSON,
   x402 version 2) and in "accepts" of its body (version 1); "quote" explains the price.
2. Sign an EIP-3009 TransferWithAuthorization over the amount of an offer with the scheme "exact".
3. POST the identical request with the header PAYMENT-SIGNATURE (version 2) or X-PAYMENT (version 1).
4. The answer has X-Payment-Id and the receipt in PAYMENT-RESPONSE or X-PAYMENT-RESPONSE.

Example:

    curl -i ${publicUrl}/v1/chat/completions -H 'content-type: application/json' \\
      -d '{"model": "${storefront.defaultChatModel}", "max_tokens": 500,
           "messages": [{"role": "user", "content": "What is a fare box?"}]}'

    import { createFareboxClient } from '@farebox/client'
    const farebox = createFareboxClient({ baseUrl: '${publicUrl}', account })
    const { completion } = await farebox.chat({ messages: [{ role: 'user', content: 'Hello' }] })

## Rules

Models are addressed as <provider>/<model>.${soldDefaults(storefront)} 400 and 429 mean that the request moved no money; 402 that the authorization was not
and will not be used, unless the response has the receipt of a deposit into a payment channel;
503 with X-Payment-Id and Retry-After that the identical request resumes the payment;
503 with X-Payment-Id alone that the provider failed or the service stopped, and the payment is refunded in full.
`)
  }
}

/** A default of a kind that is not sold would only be refused. */
function soldDefaults(storefront: Storefront): string {
  const catalog = storefront.catalog()
  const chat = catalog.findChatModel(storefront.defaultChatModel)
  const image = catalog.findImageModel(storefront.defaultImageModel)
  const sold = [chat, image].flatMap((model) =>
    model !== undefined && storefront.isSold(model) ? [model.id] : [],
  )
  return sold.length === 0
    ? ' No default model is sold now.'
    : ` Default models: ${sold.join(',\n')}.`
}
