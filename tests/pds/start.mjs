// A Bluesky PDS and the directory that it registers accounts with, on loopback; its state is lost when it ends.
//
//   node start.mjs PDS_PORT DIRECTORY_PORT FOLDER [limits]
//
// Prints "ready" when both listen. Without the word `limits` the server counts no requests.
import { randomBytes } from 'node:crypto'
import http from 'node:http'
import net from 'node:net'
import { PDS } from '@atproto/pds'
import plc from '@did-plc/server'

const [port, directoryPort, folder, limits] = process.argv.slice(2)

// Both servers listen on every interface of the machine unless told otherwise, and neither can be told.
const listen = net.Server.prototype.listen
net.Server.prototype.listen = function (first, ...rest) {
  return typeof first === 'number' || /^[0-9]+$/.test(String(first))
    ? listen.call(this, Number(first), '127.0.0.1', ...rest.filter((one) => typeof one === 'function'))
    : listen.call(this, first, ...rest)
}

const { Database, PlcServer } = plc
const directory = PlcServer.create({ db: Database.mock(), port: Number(directoryPort) })
await directory.start()
const hex = () => randomBytes(32).toString('hex')
const pds = await PDS.fromEnv({
  port: Number(port),
  hostname: 'localhost',
  devMode: true,
  dataDirectory: folder,
  blobstoreDiskLocation: `${folder}/blobs`,
  blobstoreDiskTmpLocation: `${folder}/tmp`,
  didPlcUrl: `http://127.0.0.1:${directoryPort}`,
  inviteRequired: false,
  disableSsrfProtection: true,
  rateLimitsEnabled: limits === 'limits',
  jwtSecret: hex(),
  dpopSecret: hex(),
  adminPassword: hex(),
  plcRotationKeyK256PrivateKeyHex: hex(),
  crawlers: [],
})
await pds.start()
const bound = [pds.server, directory.server].map((server) => server?.address())
if (bound.some((address) => !(address && address.address === '127.0.0.1'))) {
  throw new Error(`not on loopback alone: ${JSON.stringify(bound)}`)
}
console.log('ready')
