import { act } from '../../app/act.ts';
import { keepInBrowser } from '../../app/kept.ts';
import { useShownAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Refusal } from '../../ui/error-text.tsx';
import { LEFT_PROJECT } from './left-project.ts';
import type { ChannelKind } from './queries.ts';

const words = m.integrations.connect;

/** Leads to the provider, where the person chooses the destination. */
export function ConnectButton({
  project,
  kind: { kind, label, mustConnect },
}: {
  readonly project: string;
  readonly kind: ChannelKind;
}) {
  const begin = useShownAct(act.beginConnection, ({ address }) => {
    keepInBrowser(LEFT_PROJECT, project);
    window.location.assign(address);
  });
  return (
    <div className="grid gap-4">
      <div className={`grid justify-items-start gap-2.5 ${mustConnect ? '' : 'border-b border-line pb-5'}`}>
        <p className="text-13 text-ink-2">{words.lead(label)}</p>
        <Refusal error={begin.error} />
        <Button
          kind="primary"
          isBusy={begin.isBusy || begin.answer !== undefined}
          onClick={() => begin.run({ project, kind })}
        >
          {words.button(label)}
        </Button>
      </div>
      {!mustConnect && <p className="text-13 font-semibold">{words.or}</p>}
    </div>
  );
}
