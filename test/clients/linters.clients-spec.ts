import { join } from 'node:path';
import { describeWithTools, runTool } from './tools';

const DOCUMENT = join(__dirname, '../../docs/openapi.json');
const here = { directory: __dirname };

describeWithTools('the API description', () => {
  it('has no error and no warning of Redocly', async () => {
    const args = ['lint', DOCUMENT, '--config=redocly.yaml', '--format=json'];
    const { code, stdout } = await runTool('redocly', args, here);
    const { totals, problems } = JSON.parse(stdout) as { totals: object; problems: unknown };
    expect({ code, totals, problems }).toEqual({
      code: 0,
      totals: { errors: 0, warnings: 0, ignored: 0 },
      problems: [],
    });
  });

  it('has no error and no warning of Spectral', async () => {
    const args = ['lint', DOCUMENT, '--ruleset=spectral.yaml', '--format=json'];
    const { code, stdout } = await runTool(
      'spectral',
      [...args, '--fail-severity=hint', '--quiet'],
      here,
    );
    expect({ code, problems: JSON.parse(stdout) as unknown }).toEqual({ code: 0, problems: [] });
  });
});
