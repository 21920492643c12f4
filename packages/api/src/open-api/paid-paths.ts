import { z } from 'zod'
import { channelSchema, channelTermsSchema } from '../channel.ts'
import { chatChunkSchema, chatCompletionSchema } from '../chat/chat-completion.ts'
import { errorSchema, paymentRequiredSchema } from '../errors.ts'
import { imageRequestSchema, imageResultSchema } from '../image-request.ts'
import { paymentSchema } from '../payment.ts'
import { curlSample, openAiSample } from './code-samples.ts'
import {
  channelExample,
  chatExample,
  completionExample,
  imageExample,
  notFoundExample,
  paymentExample,
  paymentRequiredExample,
  responsesExample,
} from './examples.ts'
import {
  chatFieldTexts,
  imageFieldTexts,
  imageGenerationFieldTexts,
  messagesFieldTexts,
  responsesFieldTexts,
} from './field-texts.ts'
import {
  answer,
  answers,
  chatErrors,
  get,
  getById,
  header,
  imageErrors,
  type Json,
  json,
  jsonSchema,
  messagesErrors,
  openObject,
  post,
  type RequestSchemas,
} from './operations.ts'

/** The paths that are paid for, and those of payments and payment channels. */
export function paidPaths(serverUrl: string, requests: RequestSchemas): Json {
  return {
    ...chatPaths(serverUrl, requests),
    ...imagePaths(serverUrl, requests),
    ...paymentPaths(serverUrl),
  }
}

function chatPaths(serverUrl: string, requests: RequestSchemas): Json {
  const url = `${serverUrl}/v1/chat/completions`
  return {
    '/v1/chat/completions': post(
      {
        tag: 'Paid',
        summary: 'A paid chat completion',
        description:
          'OpenAI’s request and response. A stream ends with its usage in the last content chunk, then a comment line `: receipt {…}` with the payment, then `data: [DONE]`.',
        samples: [
          openAiSample({ serverUrl, model: 'openai/gpt-4.1-mini' }),
          curlSample(url, chatExample),
        ],
        responses: {
          200: streamedAnswer('The completion; with stream: true, a text event stream of chunks', {
            body: json(chatCompletionSchema, completionExample),
            event: z.union([chatChunkSchema, errorSchema]),
          }),
          ...paymentRequired,
          ...chatErrors,
        },
      },
      { schema: requests.chat, example: chatExample, fields: chatFieldTexts },
    ),
    '/v1/responses': post(
      {
        tag: 'Paid',
        summary: 'A paid response, in the shape of OpenAI Responses',
        description: 'Stateless: `previous_response_id` and item references are refused by name.',
        responses: {
          200: streamedAnswer('The response; with stream: true, its typed events', {
            body: json(openObject),
            event: openObject,
          }),
          ...paymentRequired,
          ...chatErrors,
        },
      },
      { schema: requests.responses, example: responsesExample, fields: responsesFieldTexts },
    ),
    '/v1/messages': post(
      {
        tag: 'Paid',
        summary: 'A paid message, in the shape of Anthropic Messages',
        responses: {
          200: streamedAnswer('The message; with stream: true, its typed events', {
            body: json(openObject),
            event: openObject,
          }),
          ...paymentRequired,
          ...messagesErrors,
        },
      },
      { schema: requests.messages, example: chatExample, fields: messagesFieldTexts },
    ),
  }
}

function imagePaths(serverUrl: string, requests: RequestSchemas): Json {
  return {
    '/v1/images/generations': post(
      {
        tag: 'Paid',
        summary: 'Paid images, in the shape of OpenAI',
        responses: {
          200: paidAnswer('The images', openObject),
          ...paymentRequired,
          ...chatErrors,
        },
      },
      {
        schema: requests.imageGenerations,
        example: { prompt: imageExample.prompt, size: '1024x1024' },
        fields: imageGenerationFieldTexts,
      },
    ),
    '/v1/images/generate': post(
      {
        tag: 'Paid',
        summary: 'Paid images',
        samples: [curlSample(`${serverUrl}/v1/images/generate`, imageExample)],
        responses: {
          200: paidAnswer('The images', imageResultSchema),
          ...paymentRequired,
          ...imageErrors,
        },
      },
      { schema: imageRequestSchema, example: imageExample, fields: imageFieldTexts },
    ),
  }
}

function paymentPaths(serverUrl: string): Json {
  return {
    '/v1/payments/{id}': getById(
      {
        tag: 'Free',
        summary: 'The state of a payment',
        description: 'What was paid, what the call cost, and the refund with its transaction.',
        samples: [curlSample(`${serverUrl}/v1/payments/pay_…`)],
        responses: {
          ...answers(paymentSchema, paymentExample),
          404: answer('Not found', errorSchema, notFoundExample),
        },
      },
      'The `X-Payment-Id` of a paid response.',
    ),
    '/v1/channel': get({
      tag: 'Free',
      summary: 'Deposits into a payment channel, and closes it',
      description:
        'Responds 402 with the terms of a channel. A `refund` payload of the batch-settlement scheme in PAYMENT-SIGNATURE closes the channel: what is not charged is returned to the payer. A `deposit` payload deposits more without a call, with a voucher on top of what is charged for the `amount` of the terms, which costs nothing. 404 where nothing is sold from channels.',
      responses: {
        ...answers(channelSchema, channelExample),
        402: {
          description: 'The terms of a channel, or why the request is refused',
          headers: { 'PAYMENT-REQUIRED': header('The terms in base64, x402 v2') },
          content: json(channelTermsSchema),
        },
        404: answer('Payment channels are not available', errorSchema),
      },
    }),
    '/v1/channels/{id}': getById(
      {
        tag: 'Free',
        summary: 'The balance of a payment channel',
        responses: answers(channelSchema, channelExample),
      },
      'The id of the channel, as the channel contract computes it.',
    ),
  }
}

const paidHeaders: Json = {
  'X-Payment-Id': header('The id for `/v1/payments/{id}`'),
  'PAYMENT-RESPONSE': header('The receipt, x402 v2'),
  'X-PAYMENT-RESPONSE': header('The receipt, x402 v1'),
}

function paidAnswer(description: string, body: z.ZodType): Json {
  return { description, headers: paidHeaders, content: json(body) }
}

type Streamed = {
  readonly body: Json
  /** The data of one event. */
  readonly event: z.ZodType
}

function streamedAnswer(description: string, { body, event }: Streamed): Json {
  const stream = { 'text/event-stream': { schema: jsonSchema(event, 'output') } }
  return { description, headers: paidHeaders, content: { ...body, ...stream } }
}

const paymentRequired: Json = {
  402: {
    description:
      'The price. Pay with PAYMENT-SIGNATURE (x402 v2, from the PAYMENT-REQUIRED header) or X-PAYMENT (v1, from the body)',
    headers: { 'PAYMENT-REQUIRED': header('The price in base64, x402 v2') },
    content: json(paymentRequiredSchema, paymentRequiredExample),
  },
}
