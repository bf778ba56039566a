import { useState } from 'react';
import { act } from '../app/act.ts';
import { m } from '../messages/index.ts';
import { FormDialog } from '../ui/form.tsx';
import { Segments } from '../ui/segments.tsx';
import { TextArea } from '../ui/text-area.tsx';
import { tell } from '../ui/toasts.tsx';

const t = m.checkActs.ping;
const SIGNALS = ['success', 'fail', 'start', 'log'] as const;

/** Sends a ping of any kind, with a body. For people who may ping. */
export function PingDialog({
  check,
  name,
  onClose,
}: {
  /** The UUID of the check. */
  readonly check: string;
  readonly name: string;
  readonly onClose: () => void;
}) {
  const [signal, setSignal] = useState<(typeof SIGNALS)[number]>('success');
  return (
    <FormDialog
      title={t.title(name)}
      action={t.send}
      onClose={onClose}
      send={({ body = '' }) => act.pingCheck({ check, signal, body })}
      done={() => tell(t.sent[signal](name))}
    >
      <Segments
        label={t.signal}
        choices={SIGNALS.map((one) => ({ value: one, label: t.signals[one] }))}
        value={signal}
        onChange={setSignal}
      />
      <p className="text-12 text-ink-3">{t.effects[signal]}</p>
      <TextArea label={t.body} name="body" rows={5} spellCheck={false} className="font-mono" />
    </FormDialog>
  );
}
