import { afterEach, beforeEach } from 'vitest'
import {
  type ChannelGateway,
  startChannelGateway,
} from '../../../../scripts/testing/channel-gateway.ts'

/** Starts a gateway before each test of a file and stops it afterwards. Returns the current one. */
export function channelGatewayForEachTest(
  ...options: Parameters<typeof startChannelGateway>
): () => ChannelGateway {
  let gateway: ChannelGateway
  beforeEach(async () => {
    gateway = await startChannelGateway(...options)
  })
  afterEach(async () => {
    await gateway.stop()
  })
  return () => gateway
}
