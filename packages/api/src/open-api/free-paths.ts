import { z } from 'zod'
import { errorSchema } from '../errors.ts'
import { chatEstimateSchema, imageEstimateSchema } from '../estimate.ts'
import { healthSchema, networkHealthSchema, readinessSchema } from '../health.ts'
import { imageEstimateRequestSchema } from '../image-request.ts'
import { chatModelListSchema, chatModelSchema, imageModelListSchema } from '../model-list.ts'
import { curlSample } from './code-samples.ts'
import { chatExample, estimateExample, imageExample, responsesExample } from './examples.ts'
import {
  chatFieldTexts,
  imageFieldTexts,
  messagesFieldTexts,
  responsesFieldTexts,
} from './field-texts.ts'
import {
  answer,
  answers,
  chatErrors,
  get,
  getById,
  imageErrors,
  type Json,
  messagesErrors,
  post,
  type RequestSchemas,
} from './operations.ts'

/** The paths that need no payment. */
export function freePaths(serverUrl: string, requests: RequestSchemas): Json {
  return {
    ...estimatePaths(serverUrl, requests),
    ...modelPaths(serverUrl),
    ...healthPaths(serverUrl),
  }
}

function estimatePaths(serverUrl: string, requests: RequestSchemas): Json {
  return {
    '/v1/estimate': post(
      {
        tag: 'Free',
        summary: 'The maximum cost of a chat request',
        description:
          'The same fields, rules and errors as `/v1/chat/completions`: a request whose estimate succeeds can be bought at that price. `?explain=1` adds the lines of the quote.',
        samples: [curlSample(`${serverUrl}/v1/estimate`, chatExample)],
        responses: { ...answers(chatEstimateSchema, estimateExample), ...chatErrors },
      },
      { schema: requests.chat, example: chatExample, fields: chatFieldTexts },
    ),
    '/v1/images/estimate': post(
      {
        tag: 'Free',
        summary: 'The maximum cost of an image request',
        description:
          '`?explain=1` adds the lines of the quote: `images` is the list price, `allowance` covers compute time that is known only afterwards, `extras` what the provider may bill in addition, `markup` is the operator’s margin, `buffer` the safety buffer. What is not used is refunded.',
        samples: [curlSample(`${serverUrl}/v1/images/estimate`, imageExample)],
        responses: { ...answers(imageEstimateSchema), ...imageErrors },
      },
      { schema: imageEstimateRequestSchema, example: imageExample, fields: imageFieldTexts },
    ),
    '/v1/responses/input_tokens': post(
      {
        tag: 'Free',
        summary: 'The input tokens of a Responses request',
        responses: { ...answers(responsesCountSchema), ...chatErrors },
      },
      { schema: requests.responses, example: responsesExample, fields: responsesFieldTexts },
    ),
    '/v1/messages/count_tokens': post(
      {
        tag: 'Free',
        summary: 'The input tokens of a Messages request',
        responses: { ...answers(z.object({ input_tokens: z.int() })), ...messagesErrors },
      },
      {
        schema: requests.countTokens,
        example: { model: chatExample.model, messages: chatExample.messages },
        fields: messagesFieldTexts,
      },
    ),
  }
}

const responsesCountSchema = z.object({
  object: z.literal('response.input_tokens'),
  input_tokens: z.int(),
})

function modelPaths(serverUrl: string): Json {
  return {
    '/v1/models': get({
      tag: 'Free',
      summary: 'The available chat models',
      description:
        'Prices in USD per 1,000 tokens, the operator’s margin included. `data` lists the same models for OpenAI’s clients.',
      samples: [curlSample(`${serverUrl}/v1/models`)],
      responses: answers(chatModelListSchema),
    }),
    '/v1/models/{id}': getById(
      { tag: 'Free', summary: 'A chat model', responses: answers(chatModelSchema) },
      'The id of a model, with its slash plain or encoded.',
    ),
    '/v1/images/models': get({
      tag: 'Free',
      summary: 'The available image models',
      description:
        'Prices in USD of one image at the model’s default steps, the operator’s margin included. The estimate is higher: it is the most that a call can cost.',
      responses: answers(imageModelListSchema),
    }),
  }
}

function healthPaths(serverUrl: string): Json {
  return {
    '/v1/health': get({
      tag: 'Free',
      summary: 'The health of the service',
      samples: [curlSample(`${serverUrl}/v1/health`)],
      responses: answers(healthSchema),
    }),
    '/health': get({
      tag: 'Free',
      summary: 'The health of the service, and the network of its payments',
      responses: answers(networkHealthSchema),
    }),
    '/ready': get({
      tag: 'Free',
      summary: 'Whether the service takes requests now; 503 if it does not',
      responses: {
        ...answers(readinessSchema),
        503: answer('It does not', z.union([readinessSchema, errorSchema])),
      },
    }),
  }
}
