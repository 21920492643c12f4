import { type ChannelStore, channelLine, channelStatuses, type Hex } from '@farebox/ledger'
import type { Express } from 'express'
import { notFound, refuse, send, wantsJson } from '../page/respond.ts'
import { queryProblem, wrongPage } from '../search.ts'
import { channelPage, channelsPage } from './channels-page.ts'
import { readChannels } from './read-channels.ts'

type Options = {
  readonly store: Pick<ChannelStore, 'channelTotals' | 'exportChannels' | 'loadChannel'>
}

/** The pages of payment channels. */
export function addChannels(app: Express, { store }: Options): void {
  app.get('/channels', async (request, response) => {
    const { status = 'open', after } = request.query
    const chosen = channelStatuses.find((one) => one === status)
    const last = idOf(after)
    const problem = queryProblem(request.query, ['status', 'after'])
    if (problem !== undefined || chosen === undefined || last === null) {
      const statuses = `Status: choose one of ${channelStatuses.join(', ')}.`
      const wrong = chosen === undefined ? statuses : wrongPage
      refuse(request, response, { title: 'Channels', problem: problem ?? wrong })
      return
    }
    const list = await readChannels(store, { status: chosen, after: last })
    if (wantsJson(request)) response.json({ ...list, channels: list.channels.map(channelLine) })
    else send(request, response, { title: 'Channels', content: channelsPage(list) })
  })
  app.get('/channels/:id', async (request, response) => {
    const id = idOf(request.params.id)
    const channel = id && (await store.loadChannel(id))
    if (!channel) notFound(request, response, 'No channel has this id.')
    else if (wantsJson(request)) response.json({ channel: channelLine(channel) })
    else send(request, response, { title: 'Channel', content: channelPage(channel) })
  })
}

/** `null` for a text that is no id. */
function idOf(text: unknown): Hex | undefined | null {
  if (text === undefined) return undefined
  const id = typeof text === 'string' ? text.toLowerCase() : ''
  return /^0x[0-9a-f]{64}$/.test(id) ? `0x${id.slice(2)}` : null
}
