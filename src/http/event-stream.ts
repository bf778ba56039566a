export const EVENT_STREAM = 'text/event-stream';

/** Proxies must neither keep events back nor compress them, which would keep them back as well. */
export const STREAM_HEADERS = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' };
