import { queryOptions, useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get, post, remove } from '../../app/api.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Section } from '../../ui/section.tsx';
import { tellError } from '../../ui/toasts.tsx';

const t = m.settings.pingKey;

interface PingKeyJson {
  readonly ping_key: string | null;
}

const pingKeyQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'ping-key'],
    queryFn: () => get<PingKeyJson>(`/projects/${project}/keys/ping`),
  });

const SHOWN = 4;

/** With it jobs ping by the names of checks. It can be read again at any time. */
export function PingKey({ project }: { readonly project: string }) {
  const query = pingKeyQuery(project);
  const { data } = useSuspenseQuery(query);
  const queries = useQueryClient();
  const [isShown, setIsShown] = useState(false);
  const [asked, setAsked] = useState<'replace' | 'revoke' | null>(null);
  const path = `/projects/${project}/keys/ping`;
  const change = useMutation({
    mutationFn: (to: 'replace' | 'revoke') =>
      to === 'replace' ? post<PingKeyJson>(path) : remove<null>(path).then(() => ({ ping_key: null })),
    onSuccess: (answer) => queries.setQueryData(query.queryKey, answer),
    onError: (error) => tellError(error.message),
    onSettled: () => setAsked(null),
  });
  const key = data.ping_key;
  return (
    <Section title={t.title} lead={t.lead}>
      {key === null ? (
        <div>
          <Button size="small" isBusy={change.isPending} onClick={() => change.mutate('replace')}>
            {t.make}
          </Button>
        </div>
      ) : (
        <>
          <CopyField
            label={t.title}
            text={key}
            shown={isShown ? key : `${key.slice(0, SHOWN)}${'•'.repeat(key.length - SHOWN)}`}
          />
          <div className="flex flex-wrap gap-4">
            <Button size="small" onClick={() => setIsShown(!isShown)}>
              {isShown ? t.hide : t.show}
            </Button>
            <Button size="small" onClick={() => setAsked('replace')}>
              {t.replace}
            </Button>
            <Button size="small" kind="danger" onClick={() => setAsked('revoke')}>
              {t.revoke}
            </Button>
          </div>
        </>
      )}
      {asked !== null && (
        <Dialog title={asked === 'replace' ? t.replaceTitle : t.revokeTitle} onClose={() => setAsked(null)}>
          <p className="text-ink-2">{t.breaks}</p>
          <DialogActions>
            <Button onClick={() => setAsked(null)}>{m.controls.keep}</Button>
            <Button kind="danger" isBusy={change.isPending} onClick={() => change.mutate(asked)}>
              {asked === 'replace' ? t.replace : t.revoke}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </Section>
  );
}
