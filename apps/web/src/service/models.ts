import type { ChatModelList, ImageModelList } from '@farebox/api'
import { useEffect, useState } from 'preact/hooks'
import { callService, type Reply } from './call-service.ts'

export type ChatModel = ChatModelList['models'][number]
export type ImageModel = ImageModelList['models'][number]

type LoadList<Body> = () => Promise<Reply<Body>>

/** Loads a list once per visit; a list that failed is asked for again. */
function listAt<Body>(path: string): LoadList<Body> {
  let loaded: Promise<Reply<Body>> | undefined
  return async () => {
    loaded ??= callService<Body>({ path })
    const reply = await loaded
    if (reply.status === 'refused') loaded = undefined
    return reply
  }
}

const loadChatModels = listAt<ChatModelList>('v1/models')
const loadImageModels = listAt<ImageModelList>('v1/images/models')

const retryMs = 10_000

/** The list, which is asked for again until it comes. */
function useList<Body>(load: LoadList<Body>): Reply<Body> | undefined {
  const [reply, setReply] = useState<Reply<Body>>()
  useEffect(() => {
    let isShown = true
    let timer: ReturnType<typeof setTimeout> | undefined
    const ask = async (): Promise<void> => {
      const next = await load()
      if (!isShown) return
      setReply(next)
      if (next.status === 'refused') timer = setTimeout(() => void ask(), next.retryMs ?? retryMs)
    }
    void ask()
    return () => {
      isShown = false
      clearTimeout(timer)
    }
  }, [load])
  return reply
}

/** The chat models; undefined while they are loading. */
export function useChatModels(): Reply<ChatModelList> | undefined {
  return useList(loadChatModels)
}

export function useImageModels(): Reply<ImageModelList> | undefined {
  return useList(loadImageModels)
}
