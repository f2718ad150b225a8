import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { InternalRequests } from '../platform/http/internal-request';
import { RouteTable } from '../platform/http/route-table';
import { McpController } from './mcp.controller';
import { McpService } from './mcp.service';
import { ToolCalls } from './tool-calls';

/** MCP server: the API for language models, as tools whose calls are requests to its routes. */
@Module({
  imports: [DiscoveryModule],
  controllers: [McpController],
  providers: [McpService, ToolCalls, InternalRequests, RouteTable],
})
export class McpModule {}
