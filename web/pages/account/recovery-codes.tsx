import { useSuspenseQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { act } from '../../app/act.ts';
import { saveFile } from '../../app/download.ts';
import { query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { CopyButton } from '../../ui/copy-field.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { SettingRow } from '../../ui/setting-row.tsx';
import { LeaveSecretDialog } from '../../ui/shown-once.tsx';

const t = m.account.codes;

export function RecoveryCodesRow({ onCodes }: { readonly onCodes: (codes: readonly string[]) => void }) {
  const { data: factors } = useSuspenseQuery(query.secondFactors());
  const [isAsking, setIsAsking] = useState(false);
  const { recoveryCodesLeft: left, recoveryCodesMade: made, count } = factors;
  return (
    <>
      <SettingRow title={t.title} lead={count === 0 ? t.none : t.lead}>
        {count > 0 && (
          <>
            <CodesLeft left={left} made={made} />
            <Button size="small" onClick={() => setIsAsking(true)}>
              {t.renew}
            </Button>
          </>
        )}
      </SettingRow>
      {isAsking && (
        <ConfirmDialog
          title={t.renewTitle}
          action={t.renewAction}
          run={() => act.renewRecoveryCodes()}
          done={({ recoveryCodes }) => onCodes(recoveryCodes)}
          onClose={() => setIsAsking(false)}
        >
          {t.renewLead}
        </ConfirmDialog>
      )}
    </>
  );
}

function CodesLeft({ left, made }: { readonly left: number; readonly made: number }) {
  return (
    <span className="flex items-center gap-2">
      <span role="img" aria-label={t.shown(left, made)} className="flex gap-0.5">
        {Array.from({ length: made }, (_, place) => (
          <i
            // biome-ignore lint/suspicious/noArrayIndexKey: they have nothing but their place
            key={place}
            className={`h-4 w-2 rounded-[2px] border ${place < made - left ? 'border-control' : 'border-ink-2 bg-ink-2'}`}
          />
        ))}
      </span>
      <span aria-hidden="true" className="text-12 whitespace-nowrap">
        {t.left(left)}
      </span>
    </span>
  );
}

/** Codes that were just made. They stay until the person says that they have stored them. */
export function ShownCodes({
  codes,
  onStored,
}: {
  readonly codes: readonly string[];
  readonly onStored: () => void;
}) {
  const [isStored, setIsStored] = useState(false);
  const text = codes.join('\n');
  return (
    <section
      aria-label={t.ready}
      onCopy={() => setIsStored(true)}
      className="grid gap-3 rounded-card border-2 border-ink bg-surface px-4 py-3.5"
    >
      <div className="flex items-center gap-2">
        <h2 className="min-w-0 flex-1 text-13">{t.ready}</h2>
        <Chip>{m.controls.shownOnce}</Chip>
      </div>
      <ul className="grid grid-cols-2 gap-x-4 gap-y-1 rounded-control border border-line-2 bg-sunken px-4 py-3 max-md:grid-cols-1">
        {codes.map((code) => (
          <li key={code}>
            <code className="text-13">{code}</code>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-[180px] flex-1 text-12 text-ink-3">{t.hint}</p>
        <CopyButton text={text} size="small" onCopied={() => setIsStored(true)} />
        <Button
          size="small"
          onClick={() => {
            saveFile(new Blob([`${text}\n`], { type: 'text/plain' }), t.file);
            setIsStored(true);
          }}
        >
          <Download className="size-4 text-ink-3" />
          {t.download}
        </Button>
        <Button size="small" kind={isStored ? 'primary' : 'plain'} onClick={onStored}>
          {m.controls.stored}
        </Button>
      </div>
      <LeaveSecretDialog title={t.ready} secret={text} isKept={isStored} />
    </section>
  );
}
