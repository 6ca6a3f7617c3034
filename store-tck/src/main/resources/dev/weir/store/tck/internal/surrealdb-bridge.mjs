// Gives SurrealDB's engine for Node.js the parts of the HTTP interface of a SurrealDB server that
// Weir uses: POST /signin and POST /rpc, whose queries and responses are passed on as they are, in
// CBOR; and for benchmarks POST /sql, a query as text with its results as JSON.
//
// node surrealdb-bridge.mjs NODE_MODULES ENGINE PORT NAMESPACE DATABASE USER PASSWORD TOKEN_SECONDS

import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { randomBytes } from 'node:crypto';

const [modules, engine, port, namespace, database, user, password, tokenSeconds] =
  process.argv.slice(2);
const library = { linux: '-gnu', win32: '-msvc' }[process.platform] ?? '';
const { SurrealNodeEngine } = createRequire(import.meta.url)(
  `${modules}/@surrealdb/node/dist/surrealdb-node.${process.platform}-${process.arch}${library}.node`);

/** Encodes strings, arrays and objects in CBOR. */
function cbor(value) {
  const head = (type, count) => Buffer.from([(type << 5) | 25, count >> 8, count & 255]);
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([head(3, text.length), text]);
  }
  if (Array.isArray(value)) {
    return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  }
  const members = Object.entries(value).flat().map(cbor);
  return Buffer.concat([head(5, members.length / 2), ...members]);
}

/** Decodes a value from CBOR, whose tags are left out. */
function decoded(bytes) {
  let at = 0;
  const number = (info) => {
    const size = { 24: 1, 25: 2, 26: 4, 27: 8 }[info] ?? 0;
    at += size;
    if (size === 8) {
      return Number(bytes.readBigUInt64BE(at - 8));
    }
    return size === 0 ? info : bytes.readUIntBE(at - size, size);
  };
  const next = () => {
    const head = bytes[at++];
    const type = head >> 5;
    if (type === 7) {
      const simple = { 20: false, 21: true }[head & 31];
      at += { 25: 2, 26: 4, 27: 8 }[head & 31] ?? 0;
      return simple ?? null;
    }
    const count = number(head & 31);
    switch (type) {
      case 0: return count;
      case 1: return -1 - count;
      case 2:
      case 3: return bytes.toString('utf8', at, at += count);
      case 4: return Array.from({ length: count }, next);
      case 5: return Object.fromEntries(Array.from({ length: count }, () => [next(), next()]));
      default: return next();
    }
  };
  return next();
}

const surreal = await SurrealNodeEngine.connect(engine, undefined);
await surreal.execute(cbor({ id: '1', method: 'use', params: [namespace, database] }));

/** The start of an object with one member, in CBOR. */
const RESULT = Buffer.concat([Buffer.from([0xa1]), cbor('result')]);

/** The tokens of users that have signed in, with the time at which they end. */
const tokens = new Map();
let signIns = 0;

function signIn(body) {
  const given = JSON.parse(body.toString());
  if (given.user !== user || given.pass !== password) {
    return [401, 'There was a problem with authentication'];
  }
  signIns++;
  const ends = Math.floor(Date.now() / 1000) + Number(tokenSeconds);
  const part = (content) => Buffer.from(content).toString('base64url');
  const token = [part('{}'), part(JSON.stringify({ exp: ends })), randomBytes(9).toString('hex')];
  tokens.set(token.join('.'), ends);
  return [200, token.join('.')];
}

function isSignedIn(request) {
  const ends = tokens.get(String(request.headers.authorization).replace(/^Bearer /, ''));
  return user === '' || (ends !== undefined && ends > Date.now() / 1000);
}

async function respond(request, body) {
  if (request.method === 'POST' && request.url === '/signin') {
    return signIn(body);
  } else if (request.method === 'GET' && request.url === '/sign-ins') {
    return [200, String(signIns)];
  } else if (request.method !== 'POST' || !['/rpc', '/sql'].includes(request.url)) {
    return [404, ''];
  } else if (!isSignedIn(request)) {
    return [401, 'There was a problem with authentication'];
  } else if (request.url === '/sql') {
    const query = cbor({ id: '1', method: 'query', params: [body.toString()] });
    return [200, JSON.stringify(decoded(Buffer.from(await surreal.execute(query))))];
  } else if (request.headers['content-type'] !== 'application/cbor') {
    return [415, ''];
  } else if (request.headers['surreal-ns'] !== namespace
      || request.headers['surreal-db'] !== database) {
    return [400, 'this bridge has one database'];
  }
  const result = Buffer.from(await surreal.execute(body));
  // The engine returns the results of a query as an array, a server as the member of an object.
  const isArray = result[0] >> 5 === 4;
  return [200, isArray ? Buffer.concat([RESULT, result]) : result];
}

const server = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', async () => {
    try {
      const [status, content] = await respond(request, Buffer.concat(pieces));
      response.writeHead(status, { 'Content-Length': Buffer.byteLength(content) });
      response.end(content);
    } catch (error) {
      console.error(error);
      response.writeHead(500);
      response.end();
    }
  });
});
server.keepAliveTimeout = 0;
server.listen(Number(port), '127.0.0.1', () => console.log('ready'));
