/** Holds the stream of all tabs of a session. */
import { after, eventSourceAt } from './event-source.ts';
import { type Listener, SharedStream } from './shared-stream.ts';
import type { FromTab, ToTab } from './tab-messages.ts';

let stream: SharedStream | null = null;

function listenTo(port: MessagePort): void {
  const tell = (message: ToTab) => port.postMessage(message);
  let listener: Listener | null = null;
  const leave = () => {
    if (listener !== null) stream?.leave(listener);
  };
  port.onmessage = ({ data }: MessageEvent<FromTab>) => {
    if (data === 'leave') return leave();
    const { address, lastEventId } = data;
    stream ??= new SharedStream({ openStream: eventSourceAt(address), after });
    listener = {
      lastEventId,
      onEvent: (event, id) => tell({ event, id }),
      onFailure: () => tell('failed'),
    };
    stream.join(listener);
  };
  // Some browsers say that a tab has gone.
  port.addEventListener('close', leave);
}

addEventListener('connect', (event) => {
  for (const port of (event as MessageEvent).ports) listenTo(port);
});
