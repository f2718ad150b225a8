/** Returns the settings with which AI assistants that speak MCP use the service. */
export function mcpSettings(origin: string): string {
  const headers = { Authorization: 'Bearer mk_…' };
  const datagrid = { type: 'http', url: `${origin}/mcp`, headers };
  return JSON.stringify({ mcpServers: { datagrid } }, null, 2);
}
