import { Kbd, Table, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../../common/dialog';
import { text } from '../../text/text';

/** Lists the shortcuts of the console and of its grid. */
export default function ShortcutsDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { title, groups } = text.shortcuts;
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {groups.map(({ name, keys }) => (
        <section key={name}>
          <Title order={3} size="h5" mt="md" mb="xs">
            {name}
          </Title>
          <Table aria-label={name}>
            <Table.Tbody>
              {keys.map(({ combinations, effect }) => (
                <Table.Tr key={effect}>
                  <Table.Th scope="row" w="45%" fw={400}>
                    {combinations.map((combination, at) => (
                      <span key={combination}>
                        {at > 0 && ', '}
                        <Kbd>{combination}</Kbd>
                      </span>
                    ))}
                  </Table.Th>
                  <Table.Td>{effect}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </section>
      ))}
    </Dialog>
  );
}
