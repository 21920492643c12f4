import type { ConnectionOptions } from '@farebox/provider-proxy'
import type { Config } from '../settings.ts'
import { createAwsSignature } from './aws-signature.ts'
import { createEntraToken } from './entra-token.ts'
import { createGoogleToken } from './google-token.ts'

/** How requests are authorized without a key. */
export type SignIn = NonNullable<ConnectionOptions['headers']>

/** The sign-in of an application to Azure OpenAI, if it is configured. */
export function azureSignIn({
  AZURE_TENANT_ID: tenantId,
  AZURE_CLIENT_ID: clientId,
  AZURE_CLIENT_SECRET: clientSecret,
  AZURE_AUTHORITY_HOST: authorityHost,
}: Config): SignIn | undefined {
  if (tenantId === undefined || clientId === undefined || clientSecret === undefined) {
    return undefined
  }
  const token = createEntraToken({ authorityHost, tenantId, clientId, clientSecret })
  return async () => ({ authorization: `Bearer ${await token()}` })
}

/** The signature of requests to Amazon Bedrock, if it is configured. */
export function bedrockSignIn({
  BEDROCK_REGION: region,
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  AWS_SESSION_TOKEN: sessionToken,
}: Config): SignIn | undefined {
  if (region === undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    return undefined
  }
  return createAwsSignature({
    region,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken && { sessionToken }),
  })
}

/** The sign-in of a service account to Vertex AI, if it is configured. */
export function vertexSignIn({
  VERTEX_PROJECT: project,
  GOOGLE_APPLICATION_CREDENTIALS: file,
}: Config): SignIn | undefined {
  return project === undefined ? undefined : createGoogleToken(file)
}
