import { useMutation } from '@tanstack/react-query';
import type { ChannelKindJson } from '../../../src/wire/dashboard/channel-output.ts';
import { post } from '../../app/api.ts';
import { keepInBrowser } from '../../app/kept.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { LEFT_PROJECT } from './left-project.ts';
import { channelsPath } from './queries.ts';

const words = m.integrations.connect;

/** Leads to the provider, where the person chooses the destination. */
export function ConnectButton({
  project,
  kind: { kind, label, must_connect: mustConnect },
}: {
  readonly project: string;
  readonly kind: ChannelKindJson;
}) {
  const begin = useMutation({
    mutationFn: () => post<{ readonly address: string }>(`${channelsPath(project)}/connect`, { kind }),
    onSuccess: ({ address }) => {
      keepInBrowser(LEFT_PROJECT, project);
      window.location.assign(address);
    },
  });
  return (
    <div className="grid gap-8">
      <div className={`grid justify-items-start gap-5 ${mustConnect ? '' : 'border-b border-line pb-10'}`}>
        <p className="text-13 text-ink-2">{words.lead(label)}</p>
        {begin.error !== null && <ErrorText>{begin.error.message}</ErrorText>}
        <Button kind="primary" isBusy={begin.isPending || begin.isSuccess} onClick={() => begin.mutate()}>
          {words.button(label)}
        </Button>
      </div>
      {!mustConnect && <p className="text-13 font-semibold">{words.or}</p>}
    </div>
  );
}
