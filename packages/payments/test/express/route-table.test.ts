import { expect, test } from 'vitest'
import { createRouteTable } from '../../src/express/route-table.ts'

const find = createRouteTable({
  'GET /weather/*': '$0.001',
  '/forecast/[city]': '$1.001',
  '/weather/special': '$2',
})

test.each([
  ['GET', '/weather/lima', 'GET /weather/*'],
  ['HEAD', '/weather/lima', 'GET /weather/*'],
  ['GET', '/WEATHER/lima', 'GET /weather/*'],
  ['GET', '//weather//lima/', 'GET /weather/*'],
  ['GET', '/%77eather/lima', 'GET /weather/*'],
  ['GET', '/weather\\lima', 'GET /weather/*'],
  ['GET', '/weather/a/b', 'GET /weather/*'],
  ['GET', '/weather/special', '/weather/special'],
  ['PUT', '/forecast/lima', '/forecast/[city]'],
  ['POST', '/weather/lima', undefined],
  ['GET', '/forecast/a/b', undefined],
  ['GET', '/weather', undefined],
  ['GET', '/weather/%zz', 'GET /weather/*'],
  ['GET', '/%77eather/%zz', 'GET /weather/*'],
  ['GET', '/x/../weather/lima', 'GET /weather/*'],
  ['GET', '/weather/../forecast', 'GET /weather/*'],
  ['GET', '/weather/a%0Ab', 'GET /weather/*'],
  ['GET', '/forecast/a%2Fb', '/forecast/[city]'],
  ['GET', '/forecast/a%5Cb/', '/forecast/[city]'],
  ['GET', '/forecast/a\\b', '/forecast/[city]'],
])('%s %s is %s', (method, path, pattern) => {
  expect(find(method, [path])?.pattern).toBe(pattern)
})
