import type { ConnectionOptions } from '@farebox/provider-proxy'

export type AwsCredentials = {
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** Signs requests to Amazon Bedrock (Signature Version 4). The signer is loaded when it is needed. */
export function createAwsSignature(
  credentials: AwsCredentials,
): NonNullable<ConnectionOptions['headers']> {
  return async (request) => {
    const { AwsV4Signer } = await import('aws4fetch')
    const signer = new AwsV4Signer({ ...request, ...credentials, service: 'bedrock' })
    const { headers } = await signer.sign()
    return Object.fromEntries(headers)
  }
}
