/** Lines for the configurations of proxies. */
interface Lines {
  readonly nginx: string;
  readonly Caddy: string;
  readonly HAProxy: string;
  readonly Traefik: string;
}

const FORWARDED_FOR: Lines = {
  nginx: 'proxy_set_header X-Forwarded-For $remote_addr;',
  Caddy: 'header_up X-Forwarded-For {remote_host}',
  HAProxy: 'http-request set-header X-Forwarded-For %[src]',
  Traefik: '--entryPoints.NAME.forwardedHeaders.insecure=false',
};

const LONG_BODIES: Lines = {
  nginx: 'client_max_body_size 3m;',
  Caddy: 'request_body { max_size 3MB }',
  HAProxy: 'no http-request deny by req.body_size below 3000000',
  Traefik: 'no buffering.maxRequestBodyBytes below 3000000',
};

const SLOW_BODIES: Lines = {
  nginx: 'client_body_timeout 60s;',
  Caddy: 'servers { timeouts { read_body 60s } }',
  HAProxy: 'timeout client 60s, timeout http-request 60s',
  Traefik: '--entryPoints.NAME.transport.respondingTimeouts.readTimeout=60s',
};

const STREAMS: Lines = {
  nginx: 'proxy_buffering off;',
  Caddy: 'flush_interval -1',
  HAProxy: 'no option http-buffer-request, no compression of text/event-stream',
  Traefik: 'no buffering middleware',
};

const ANY_REQUEST: Lines = {
  nginx: 'no limit_except, no if ($request_method)',
  Caddy: 'no method matcher',
  HAProxy: 'no http-request deny by method',
  Traefik: 'no rule with Method(…)',
};

function told(lines: Lines): string {
  return Object.entries(lines)
    .map(([name, line]) => `${name}: ${line}`)
    .join(' · ');
}

export const setForwardedFor = () => told(FORWARDED_FOR);
export const allowLongBodies = () => told(LONG_BODIES);
export const allowSlowBodies = () => told(SLOW_BODIES);
export const passStreams = () => told(STREAMS);
export const passAnyRequest = () => told(ANY_REQUEST);
