/** The least that Node can do: an HTTP server that answers everything with the same small JSON. */
import { createServer } from 'node:http';

const BODY = JSON.stringify({ status: 'up', name: 'a fixed answer', tags: '', n_pings: 0 });
const HEADERS = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(BODY) };

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, HEADERS).end(BODY);
});

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) {
    console.log(`Listens 127.0.0.1:${address.port}`);
  }
});
