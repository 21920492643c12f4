import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findOnPath } from '../../../../scripts/testing/find-binary.ts'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import { answering, type PeerProcess, stopChild } from './peer-process.ts'
import type { Usage } from './usage-reporter.ts'

/** nginx as a reverse proxy in one process; undefined where it is not installed. */
export async function startNginx(
  folder: string,
  upstream: string,
): Promise<PeerProcess | undefined> {
  const binary = findOnPath('nginx')
  if (binary === undefined) return undefined
  const port = await freePort()
  const home = join(folder, 'nginx')
  mkdirSync(home)
  const file = join(home, 'nginx.conf')
  writeFileSync(file, configuration({ home, port, upstream: new URL(upstream).host }))
  const child = spawn(binary, ['-p', home, '-c', file], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  await answering(url)
  return {
    url,
    usage: async () => usageOf(child.pid ?? 0),
    watchTurns: () => undefined,
    stop: () => stopChild(child),
  }
}

type Configuration = { readonly home: string; readonly port: number; readonly upstream: string }

function configuration({ home, port, upstream }: Configuration): string {
  return `
daemon off;
master_process off;
error_log ${home}/error.log;
pid ${home}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 1000000;
  client_body_temp_path ${home}/body;
  proxy_temp_path ${home}/proxy;
  fastcgi_temp_path ${home}/fastcgi;
  uwsgi_temp_path ${home}/uwsgi;
  scgi_temp_path ${home}/scgi;
  upstream provider { server ${upstream}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://provider;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`
}

const pageBytes = 4096

/** Nanoseconds of the only thread, and pages. Linux only. */
function usageOf(pid: number): Usage {
  const [nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')
  const [, resident] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
  return {
    cpu: Number(nanoseconds) / 1000,
    memory: Number(resident) * pageBytes,
    loopDelay: null,
    longestTurn: Number.NaN,
    heap: Number.NaN,
    handles: Number.NaN,
  }
}
