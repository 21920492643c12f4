import type { ChatModelList, ImageModelList } from '@farebox/api'
import { useEffect, useState } from 'preact/hooks'
import { callService, type Reply } from './call-service.ts'

export type ChatModel = ChatModelList['models'][number]
export type ImageModel = ImageModelList['models'][number]

const loaded = new Map<string, Promise<Reply<unknown>>>()

/** Loads a list once per visit; a list that failed is asked for again. */
async function loadOnce<Body>(path: string): Promise<Reply<Body>> {
  const known = loaded.get(path) ?? callService<Body>({ path })
  loaded.set(path, known)
  const reply = await known
  if (reply.status === 'refused') loaded.delete(path)
  return reply as Reply<Body>
}

function useList<Body>(path: string): Reply<Body> | undefined {
  const [reply, setReply] = useState<Reply<Body>>()
  useEffect(() => {
    let isShown = true
    void loadOnce<Body>(path).then((next) => {
      if (isShown) setReply(next)
    })
    return () => {
      isShown = false
    }
  }, [path])
  return reply
}

/** The chat models; undefined while they are loading. */
export function useChatModels(): Reply<ChatModelList> | undefined {
  return useList('v1/models')
}

export function useImageModels(): Reply<ImageModelList> | undefined {
  return useList('v1/images/models')
}
