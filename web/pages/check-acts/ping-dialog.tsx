import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { post } from '../../app/api.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Segments } from '../../ui/segments.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { tell } from '../../ui/toasts.tsx';

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
  const queries = useQueryClient();
  const [signal, setSignal] = useState<(typeof SIGNALS)[number]>('success');
  const [body, setBody] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setIsBusy(true);
    try {
      await post(`/checks/${check}/ping`, { signal, body });
      tell(t.sent[signal](name));
      onClose();
      await queries.invalidateQueries({ queryKey: ['check', check] });
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
      setIsBusy(false);
    }
  };
  return (
    <Dialog title={t.title(name)} onClose={onClose}>
      <form className="grid gap-6" onSubmit={(event) => void submit(event)}>
        <Segments
          label={t.signal}
          choices={SIGNALS.map((one) => ({ value: one, label: t.signals[one] }))}
          value={signal}
          onChange={setSignal}
        />
        <p className="text-12 text-ink-3">{t.effects[signal]}</p>
        <TextArea
          label={t.body}
          value={body}
          error={error}
          rows={5}
          spellCheck={false}
          className="font-mono"
          onChange={(event) => setBody(event.target.value)}
        />
        <DialogActions>
          <Button kind="primary" type="submit" isBusy={isBusy}>
            {t.send}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
