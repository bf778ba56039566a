import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { act } from '../../app/act.ts';
import { query } from '../../app/read.ts';
import { useAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { Section } from '../../ui/section.tsx';

const t = m.settings.pingKey;

const SHOWN = 4;

/** With it jobs ping by the names of checks. It can be read again at any time. */
export function PingKey({ project }: { readonly project: string }) {
  const {
    data: { key },
  } = useSuspenseQuery(query.pingKey({ project }));
  const [isShown, setIsShown] = useState(false);
  const [asked, setAsked] = useState<'replace' | 'revoke' | null>(null);
  const make = useAct(act.replacePingKey);
  const close = () => setAsked(null);
  return (
    <Section title={t.title} lead={t.lead}>
      {key === null ? (
        <div>
          <Button size="small" isBusy={make.isBusy} onClick={() => make.run({ project })}>
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
          <div className="flex flex-wrap gap-2">
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
        <ConfirmDialog
          title={asked === 'replace' ? t.replaceTitle : t.revokeTitle}
          action={asked === 'replace' ? t.replace : t.revoke}
          run={() => (asked === 'replace' ? act.replacePingKey : act.revokePingKey)({ project })}
          onClose={close}
        >
          {t.breaks}
        </ConfirmDialog>
      )}
    </Section>
  );
}
